import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAct } from '../api/act';
import { zOrganisationName } from '../api/gen/zod.gen';
import { FormDialog } from './FormDialog';

type Props<R> = {
  title: string;
  opened: boolean;
  close: () => void;
  save: string;
  initial?: string;
  run: (name: string) => Promise<R>;
  done?: (answer: R) => void;
};

/** Asks for the name of something new or renamed. */
export function NameDialog<R>({ title, opened, close, save, initial = '', run, done }: Props<R>) {
  const { t } = useTranslation();
  const [name, setName] = useState(initial);
  const act = useAct(run, {
    quiet: true,
    done: (answer) => {
      leave();
      done?.(answer);
    },
  });
  const leave = () => {
    close();
    setName(initial);
    act.reset();
  };
  const valid = zOrganisationName.safeParse({ name: name.trim() }).success;
  return (
    <FormDialog
      title={title}
      opened={opened}
      close={leave}
      submit={() => act.mutate(name.trim())}
      save={save}
      busy={act.isPending}
      blocked={!valid}
      error={act.error}
    >
      <TextInput
        label={t('name')}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        required
        data-autofocus
        autoComplete="off"
      />
    </FormDialog>
  );
}
