import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ProblemError } from '../api/problem';
import { Loading } from './Async';
import { BarePage } from './BarePage';
import { ProblemAlert } from './ProblemAlert';

/** For a page that could not be shown at all. Somebody who is not signed in is on the way to the sign-in page. */
export function FailedPage({ error }: ErrorComponentProps) {
  const { t } = useTranslation();
  const router = useRouter();
  if (error instanceof ProblemError && error.status === 401) return <Loading />;
  return (
    <BarePage title={t('problem.page')}>
      <ProblemAlert error={error instanceof Error ? error : new Error(String(error))} retry={() => void router.invalidate()} />
    </BarePage>
  );
}
