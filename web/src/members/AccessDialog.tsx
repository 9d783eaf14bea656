import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAct } from '../api/act';
import { areas } from '../sandboxes/queries';
import { FormDialog } from '../ui/FormDialog';
import { AccessEditor } from './AccessEditor';
import { refusal } from './access';
import { blank, type Draft, toGrant } from './draft';

type Props<R> = {
  org: string;
  sbx: string;
  title: string;
  save: string;
  /** A draft of somebody who is a member already; without it the address is asked too. */
  initial?: Draft;
  run: (grant: ReturnType<typeof toGrant>, email: string) => Promise<R>;
  close: () => void;
  done?: (answer: R) => void;
};

/** Puts an access together, for a new member, an invitation, or somebody who is a member already. */
export function AccessDialog<R>({ org, sbx, title, save, initial, run, close, done }: Props<R>) {
  const { t } = useTranslation();
  const [email, setEmail] = useState('');
  const [draft, setDraft] = useState(initial ?? blank);
  const known = useQuery(areas(org, sbx));
  const act = useAct(() => run(toGrant(draft), email.trim()), {
    quiet: true,
    done: (answer) => {
      close();
      done?.(answer);
    },
  });
  return (
    <FormDialog
      title={title}
      size="lg"
      opened
      close={close}
      submit={() => act.mutate(undefined)}
      save={save}
      busy={act.isPending}
      blocked={refusal(draft.access) !== undefined || (!initial && !email.includes('@'))}
      error={act.error ?? known.error}
    >
      {!initial && (
        <TextInput
          label={t('email')}
          type="email"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          required
          data-autofocus
          autoComplete="off"
        />
      )}
      <AccessEditor draft={draft} change={setDraft} areas={known.data?.items.map(({ name }) => name) ?? []} />
    </FormDialog>
  );
}
