import {
  type AuthenticationResponseJSON,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser';

/** The person, the browser or the authenticator did not go through with it. */
export class PasskeyRefused extends Error {
  constructor(cause: unknown) {
    super('passkey refused', { cause });
    this.name = 'PasskeyRefused';
  }
}

/** Asks for a passkey that exists. `options` is what the server sent, as it is. */
export async function provePasskey(options: unknown): Promise<AuthenticationResponseJSON> {
  try {
    return await startAuthentication({ optionsJSON: options as PublicKeyCredentialRequestOptionsJSON });
  } catch (cause) {
    throw new PasskeyRefused(cause);
  }
}

/** Makes a new passkey. `options` is what the server sent, as it is. */
export async function makePasskey(options: unknown): Promise<RegistrationResponseJSON> {
  try {
    return await startRegistration({ optionsJSON: options as PublicKeyCredentialCreationOptionsJSON });
  } catch (cause) {
    throw new PasskeyRefused(cause);
  }
}
