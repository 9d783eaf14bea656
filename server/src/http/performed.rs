//! Answers of operations as responses, with the receipt of the record.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::error::Error;
use crate::gate::Performed;

/// Header with the record's id and leaf hash.
pub const RECEIPT: &str = "audit-receipt";

impl<T: Serialize> Performed<T> {
    /// 200 with the answer.
    pub fn ok(self) -> Response {
        self.json(StatusCode::OK)
    }

    /// 201 with the answer.
    pub fn created(self) -> Response {
        self.json(StatusCode::CREATED)
    }

    /// 202 with the answer: it goes on by itself.
    pub fn accepted(self) -> Response {
        self.json(StatusCode::ACCEPTED)
    }

    /// 204.
    pub fn empty(self) -> Response {
        let mut response = StatusCode::NO_CONTENT.into_response();
        self.receipt_on(&mut response);
        response
    }

    /// This status with the answer.
    pub fn json(self, status: StatusCode) -> Response {
        let mut response = match serde_json::to_vec(&self.output) {
            Ok(body) => (status, [(header::CONTENT_TYPE, "application/json")], body).into_response(),
            Err(error) => Error::internal(error).into_response(),
        };
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        self.receipt_on(&mut response);
        response
    }
}

impl<T> Performed<T> {
    fn receipt_on(&self, response: &mut Response) {
        let value = self.receipt.as_ref().and_then(|receipt| serde_json::to_string(receipt).ok());
        if let Some(value) = value.and_then(|value| HeaderValue::from_str(&value).ok()) {
            response.headers_mut().insert(RECEIPT, value);
        }
    }

    /// Another answer behind the same record.
    pub fn with<U>(self, output: U) -> Performed<U> {
        self.map(|_| output)
    }

    /// The same record behind a changed answer.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Performed<U> {
        Performed { output: change(self.output), receipt: self.receipt }
    }
}
