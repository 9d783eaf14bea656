import { Button, NativeSelect, NumberInput, Table, Text, TextInput } from '@mantine/core';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import type { PolicyDecision, PolicyProblem } from '../api/gen/types.gen';
import { actionText } from '../i18n/texts';
import { useReason } from '../i18n/useReason';
import { actionNames } from './ActionNames';
import type { RuleRow } from './rows';

const decisions: PolicyDecision[] = ['allow', 'confirm', 'deny'];

type Props = {
  row: RuleRow;
  number: number;
  readOnly: boolean;
  problems: PolicyProblem[];
  change: (row: RuleRow) => void;
  remove: () => void;
};

/** One rule. Long policies stay quick to type in because rules that did not change are not drawn again. */
export const RuleFields = memo(
  function RuleFields({ row, number, readOnly, problems, change, remove }: Props) {
    const { t } = useTranslation();
    const reason = useReason();
    const label = (field: string) => t('policy.fieldOf', { field, number });
    return (
      <Table.Tr>
        <Table.Td miw={220} style={{ verticalAlign: 'top' }}>
          <TextInput
            size="xs"
            aria-label={label(t('policy.action'))}
            value={row.action}
            onChange={(event) => change({ ...row, action: event.currentTarget.value })}
            list={actionNames}
            autoComplete="off"
            readOnly={readOnly}
            error={problems.length > 0}
            description={actionText(t, row.action) === row.action ? undefined : actionText(t, row.action)}
            inputWrapperOrder={['input', 'description', 'error']}
          />
          {problems.map((problem) => (
            <Text size="xs" c="var(--mantine-color-error)" role="alert" key={`${problem.pointer} ${problem.code}`}>
              {reason(problem)}
            </Text>
          ))}
        </Table.Td>
        <Table.Td style={{ verticalAlign: 'top' }}>
          <NativeSelect
            size="xs"
            aria-label={label(t('policy.decision'))}
            value={row.decision}
            disabled={readOnly}
            onChange={(event) => change({ ...row, decision: event.currentTarget.value as PolicyDecision })}
            data={decisions.map((value) => ({ value, label: t(`verdict.${value}`) }))}
          />
        </Table.Td>
        <Table.Td style={{ verticalAlign: 'top' }}>
          <NativeSelect
            size="xs"
            aria-label={label(t('policy.requires'))}
            value={String(row.requires ?? 1)}
            disabled={readOnly || row.decision !== 'confirm'}
            onChange={(event) => change({ ...row, requires: event.currentTarget.value === '2' ? 2 : undefined })}
            data={[
              { value: '1', label: t('policy.people', { count: 1 }) },
              { value: '2', label: t('policy.people', { count: 2 }) },
            ]}
          />
        </Table.Td>
        <Table.Td w={110} style={{ verticalAlign: 'top' }}>
          <NumberInput
            size="xs"
            aria-label={label(t('policy.priority'))}
            value={row.priority}
            readOnly={readOnly}
            onChange={(priority) => change({ ...row, priority: Number(priority) || 0 })}
            allowDecimal={false}
            hideControls
          />
        </Table.Td>
        <Table.Td style={{ verticalAlign: 'top' }}>
          <TextInput
            size="xs"
            aria-label={label(t('policy.reason'))}
            value={row.reason ?? ''}
            readOnly={readOnly}
            onChange={(event) => change({ ...row, reason: event.currentTarget.value })}
          />
        </Table.Td>
        <Table.Td style={{ verticalAlign: 'top' }}>
          <Button
            size="xs"
            variant="subtle"
            color="red"
            disabled={readOnly}
            onClick={remove}
            aria-label={t('policy.removeRule', { number })}
          >
            {t('remove')}
          </Button>
        </Table.Td>
      </Table.Tr>
    );
  },
  (before, after) =>
    before.row === after.row &&
    before.number === after.number &&
    before.readOnly === after.readOnly &&
    before.problems.length === 0 &&
    after.problems.length === 0,
);
