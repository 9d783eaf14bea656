import { Alert, Stack } from '@mantine/core';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { AllowedVerdict } from '../api/gen/types.gen';
import { codeText } from '../i18n/texts';
import { organisation } from '../organisations/queries';
import { sandbox } from '../sandboxes/queries';
import { Async } from './Async';
import { PageHead } from './PageHead';

type Allowed = { [action: string]: AllowedVerdict };
/** `title` heads a whole page; `about` names a part of one. */
type Props = { org: string; sbx?: string; action: string; title?: string; about?: string; children: ReactNode };

/**
 * Shows what its reader may look at. Whoever may not is told why, and the server is not asked: a question that is known
 * to be refused would only fill the audit trail with refusals.
 */
export function Guarded({ org, sbx, action, title, about, children }: Props) {
  const { t } = useTranslation();
  const inOrganisation = useQuery({ ...organisation(org), enabled: !sbx });
  const inSandbox = useQuery({ ...sandbox(org, sbx ?? ''), enabled: sbx !== undefined });
  const place: UseQueryResult<{ allowed: Allowed }, Error> = sbx ? inSandbox : inOrganisation;
  return (
    <Async query={place}>
      {({ allowed }) => {
        const permission = allowed[action];
        if (permission?.verdict !== 'deny') return children;
        return (
          <Stack>
            {title && <PageHead title={title} />}
            <Alert color="gray" title={about}>
              {codeText(t, permission.reason ?? 'policy')}
            </Alert>
          </Stack>
        );
      }}
    </Async>
  );
}
