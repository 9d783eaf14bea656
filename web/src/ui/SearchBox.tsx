import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

/** Looks for what is typed, a moment after the typing stops. */
export function SearchBox({ value, onSearch, label }: { value: string; onSearch: (text: string) => void; label?: string }) {
  const { t } = useTranslation();
  const search = useDebouncedCallback(onSearch, 300);
  return (
    <TextInput
      type="search"
      aria-label={label ?? t('list.search')}
      placeholder={label ?? t('list.search')}
      leftSection={<IconSearch size={16} aria-hidden />}
      defaultValue={value}
      onChange={(event) => search(event.currentTarget.value.trim())}
      maw={320}
    />
  );
}
