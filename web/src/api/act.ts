import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { codeText } from '../i18n/texts';
import { Abandoned, Parked, ProblemError } from './problem';

type Options<R> = {
  /** What to do with the answer, before everything on the page is read afresh. */
  done?: (answer: R) => void;
  /** Said in passing when it worked. */
  said?: string;
  /** The place on the screen is gone afterwards: nothing of it is read again, and the next page reads what it needs. */
  leaves?: boolean;
  /** The form shows refusals itself. */
  quiet?: boolean;
};

/**
 * One change by the person. Afterwards everything that is on the screen is read afresh: a change of access, policy or
 * emergency state alters what other controls may do.
 */
export function useAct<V, R>(run: (input: V) => Promise<R>, { done, said, leaves, quiet }: Options<R> = {}) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const closeButtonProps = { 'aria-label': t('close') };
  return useMutation<R, Error, V>({
    mutationFn: run,
    onSuccess: (answer) => {
      if (said) notifications.show({ message: said, color: 'teal', closeButtonProps });
      done?.(answer);
      if (!leaves) return queries.invalidateQueries();
      void queries.invalidateQueries({ queryKey: ['session'] });
      return queries.invalidateQueries({ refetchType: 'none' });
    },
    onError: (error) => {
      if (error instanceof Parked) void queries.invalidateQueries();
      if (quiet || error instanceof Abandoned || error instanceof Parked) return;
      const code = error instanceof ProblemError ? error.code : 'internal';
      notifications.show({ message: codeText(t, code), color: 'red', closeButtonProps });
    },
  });
}
