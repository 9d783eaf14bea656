/**
 * Where to go after signing in. It travels in the fragment, which a browser never sends, since it may hold the token of an
 * invitation.
 */
export function toFragment(path: string): string {
  return encodeURIComponent(path);
}

/** The path that a fragment holds, or the home page for anything that is not a path of this console. */
export function fromFragment(fragment: string): string {
  let path: string;
  try {
    path = decodeURIComponent(fragment.replace(/^#/, ''));
  } catch {
    return '/';
  }
  return /^\/(?![/\\])/.test(path) ? path : '/';
}
