import { ScrollArea, Table, Text } from '@mantine/core';
import type { Dispatch, SetStateAction } from 'react';
import { useTranslation } from 'react-i18next';
import type { PolicyProblem } from '../api/gen/types.gen';
import { ActionNames } from './ActionNames';
import { RuleFields } from './RuleFields';
import { type RuleRow, ruleOf } from './rows';

type Props = { rows: RuleRow[]; change: Dispatch<SetStateAction<RuleRow[]>>; problems: PolicyProblem[]; readOnly: boolean };

/** The rules as a table of fields, each with what is wrong with it. */
export function RuleTable({ rows, change, problems, readOnly }: Props) {
  const { t } = useTranslation();
  if (rows.length === 0) return <Text c="dimmed">{t('policy.noRules')}</Text>;
  return (
    <ScrollArea.Autosize mah={560} type="auto" viewportProps={{ tabIndex: 0, role: 'group', 'aria-label': t('policy.rules') }}>
      <ActionNames />
      <Table aria-label={t('policy.rules')} verticalSpacing={4} stickyHeader miw={820}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('policy.action')}</Table.Th>
            <Table.Th>{t('policy.decision')}</Table.Th>
            <Table.Th>{t('policy.requires')}</Table.Th>
            <Table.Th>{t('policy.priority')}</Table.Th>
            <Table.Th>{t('policy.reason')}</Table.Th>
            <Table.Th>{t('actions')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, index) => (
            <RuleFields
              key={row.key}
              row={row}
              number={index + 1}
              readOnly={readOnly}
              problems={problems.filter(({ pointer }) => ruleOf(pointer) === index)}
              change={(next) => change((now) => now.map((other) => (other.key === row.key ? next : other)))}
              remove={() => change((now) => now.filter((other) => other.key !== row.key))}
            />
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea.Autosize>
  );
}
