import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAct } from '../api/act';
import type { Policy, PolicyView } from '../api/gen/types.gen';
import { useReason } from '../i18n/useReason';
import { ActionButton } from '../ui/ActionButton';
import { DestructiveButton } from '../ui/DestructiveButton';
import { ProblemAlert } from '../ui/ProblemAlert';
import { ChangeTable } from './ChangeTable';
import type { Place } from './place';
import { RuleTable } from './RuleTable';
import { ruleOf, toDocument, toRows } from './rows';

type Props = { place: Place; state: PolicyView; start: Policy; restored?: number };

/** Edits a policy. What is wrong with it and what it would change is shown before it is saved. */
export function PolicyEditor({ place, state, start, restored }: Props) {
  const { t } = useTranslation();
  const reason = useReason();
  const [rows, setRows] = useState(() => toRows(start));
  const document = useMemo(() => toDocument(rows), [rows]);
  const [settled] = useDebouncedValue(document, 500);
  const permission = state.allowed['policy.update'];
  const changed = restored !== undefined || JSON.stringify(document) !== JSON.stringify(toDocument(toRows(start)));
  const preview = useQuery({
    queryKey: [...place.key, 'preview', settled],
    queryFn: () => place.preview(settled),
    enabled: changed,
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  const save = useAct((next: Policy | null) => place.update(next, state.revision), { quiet: true, said: t('policy.saved') });
  const problems = changed ? (preview.data?.problems ?? []) : state.problems;
  const add = () =>
    setRows([
      ...rows,
      { key: crypto.randomUUID(), action: '', decision: 'confirm', priority: Math.max(0, ...rows.map((row) => row.priority)) + 10 },
    ]);
  return (
    <Stack>
      {restored !== undefined && <Alert color="blue">{t('policy.restored', { version: restored })}</Alert>}
      <RuleTable rows={rows} change={setRows} problems={problems} readOnly={permission?.verdict === 'deny'} />
      {problems
        .filter(({ pointer }) => ruleOf(pointer) === undefined)
        .map((problem) => (
          <Alert color="red" key={`${problem.pointer} ${problem.code}`}>
            {reason(problem)}
          </Alert>
        ))}
      <Group>
        <Button variant="default" onClick={add} disabled={permission?.verdict === 'deny'}>
          {t('policy.addRule')}
        </Button>
        <ActionButton
          permission={permission}
          loading={save.isPending}
          disabled={!changed || problems.length > 0}
          onClick={() => save.mutate(document)}
        >
          {t('policy.save')}
        </ActionButton>
        {changed && (
          <Button variant="subtle" onClick={() => setRows(toRows(start))}>
            {t('policy.undo')}
          </Button>
        )}
        {state.document && (
          <DestructiveButton
            permission={permission}
            label={t('policy.remove')}
            consequence={t('policy.removeConsequence')}
            run={() => save.mutate(null)}
            busy={save.isPending}
          >
            {t('policy.remove')}
          </DestructiveButton>
        )}
      </Group>
      {save.error && <ProblemAlert error={save.error} />}
      {changed && preview.error && <ProblemAlert error={preview.error} retry={() => void preview.refetch()} />}
      {changed && preview.data?.valid && <ChangeTable changes={preview.data.changes} />}
      {changed && preview.isFetching && (
        <Text size="sm" role="status">
          {t('policy.checking')}
        </Text>
      )}
    </Stack>
  );
}
