import { Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { ActionNames, actionNames } from '../policies/ActionNames';
import { SearchBox } from '../ui/SearchBox';
import { type Filters, fromField, toField } from './filters';

const outcomes = ['done', 'denied', 'aborted', 'failed', 'parked'] as const;
const decisions = ['allow', 'confirm', 'deny'] as const;

/** Narrows the trail. A field takes effect when it is left; the lists at once. */
export function FilterBar({ filters, change }: { filters: Filters; change: (filters: Filters) => void }) {
  const { t } = useTranslation();
  const set = (name: keyof Filters, value: string | undefined) => {
    if ((filters[name] ?? '') !== (value ?? '')) change({ ...filters, [name]: value || undefined });
  };
  return (
    <Group align="flex-end" gap="xs" role="search" aria-label={t('audit.filters')}>
      <SearchBox value={filters.search ?? ''} onSearch={(text) => set('search', text)} />
      <TextInput
        size="xs"
        label={t('audit.actor')}
        defaultValue={filters.actor}
        onBlur={(event) => set('actor', event.currentTarget.value.trim())}
      />
      <ActionNames />
      <TextInput
        size="xs"
        label={t('audit.action')}
        list={actionNames}
        autoComplete="off"
        defaultValue={filters.action}
        onBlur={(event) => set('action', event.currentTarget.value.trim())}
      />
      <TextInput
        size="xs"
        label={t('audit.target')}
        defaultValue={filters.target}
        onBlur={(event) => set('target', event.currentTarget.value.trim())}
      />
      <NativeSelect
        size="xs"
        label={t('audit.outcome')}
        value={filters.outcome ?? ''}
        onChange={(event) => set('outcome', event.currentTarget.value)}
        data={[{ value: '', label: t('any') }, ...outcomes.map((value) => ({ value, label: t(`outcome.${value}`) }))]}
      />
      <NativeSelect
        size="xs"
        label={t('audit.decision')}
        value={filters.decision ?? ''}
        onChange={(event) => set('decision', event.currentTarget.value)}
        data={[{ value: '', label: t('any') }, ...decisions.map((value) => ({ value, label: t(`verdict.${value}`) }))]}
      />
      <TextInput
        size="xs"
        type="datetime-local"
        label={t('audit.from')}
        defaultValue={toField(filters.from)}
        onBlur={(event) => set('from', fromField(event.currentTarget.value))}
      />
      <TextInput
        size="xs"
        type="datetime-local"
        label={t('audit.to')}
        defaultValue={toField(filters.to)}
        onBlur={(event) => set('to', fromField(event.currentTarget.value))}
      />
      <Button size="xs" variant="subtle" onClick={() => change({})}>
        {t('audit.clear')}
      </Button>
    </Group>
  );
}
