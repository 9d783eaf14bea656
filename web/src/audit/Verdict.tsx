import { Alert, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Verification } from '../api/gen/types.gen';
import { useFormat } from '../i18n/useFormat';

const colours = { verified: 'teal', broken: 'red', not_verified: 'orange' } as const;

/** The verdict on a trail in words: verified, broken and where, or not verified and why. */
export function Verdict({ verification: { verdict, chains, records, uncovered, detail } }: { verification: Verification }) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <Alert color={colours[verdict]} role="status" title={t(`verify.verdict.${verdict}`)}>
      <Text size="sm">{t('verify.records', { count: records, records: format.number(records) })}</Text>
      {chains
        .filter(({ breakAt }) => breakAt != null)
        .map(({ chain, breakAt, break: what }) => (
          <Text size="sm" key={chain}>
            {t('verify.brokenAt', { chain, at: format.number(breakAt ?? 0), what: what ?? '' })}
          </Text>
        ))}
      {uncovered > 0 && <Text size="sm">{t('verify.uncovered', { count: uncovered })}</Text>}
      <Text size="xs">{detail}</Text>
    </Alert>
  );
}
