-- A deletion goes on over many transactions, and its receipt adds up what each of them removed.
grant update (counts, removed_at) on deletion_receipt to bailiwick_app;
