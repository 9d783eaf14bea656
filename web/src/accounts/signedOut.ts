import { abandonAll } from '../waits/confirmation';

let leave: () => void = () => {};

/** Says what is done when the server answers that nobody is signed in. Set once, by the router's owner. */
export function onSignedOut(go: () => void): void {
  leave = go;
}

/** The sign-in is over: nothing that was asked can be confirmed any more. */
export function signedOut(): void {
  abandonAll();
  leave();
}
