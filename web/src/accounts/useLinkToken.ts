import { useLocation } from '@tanstack/react-router';
import { useState } from 'react';

/** The token in the address's fragment. It is kept while the page is being left, when the address is another one already. */
export function useLinkToken(): string {
  const { hash, pathname } = useLocation();
  const [link, setLink] = useState({ hash, pathname });
  if (pathname === link.pathname && hash !== link.hash) setLink({ hash, pathname });
  return link.hash;
}
