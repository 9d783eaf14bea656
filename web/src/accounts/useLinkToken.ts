import { useLocation } from '@tanstack/react-router';
import { useState } from 'react';

/** The token in the address's fragment. It is kept while the page is being left, when the address is another one already. */
export function useLinkToken(): string {
  const fragment = useLocation({ select: (location) => location.hash });
  const [token, setToken] = useState(fragment);
  if (fragment && fragment !== token) setToken(fragment);
  return token;
}
