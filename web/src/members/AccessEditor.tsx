import { Alert, Checkbox, Group, NativeSelect, Radio, Stack, Switch, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Agents, Tier } from '../api/gen/types.gen';
import { roleText } from '../i18n/texts';
import { useFormat } from '../i18n/useFormat';
import { type Access, refusal, tier } from './access';
import { type Draft, preset } from './draft';

const tiers: Tier[] = ['guest', 'viewer', 'collaborator', 'writer', 'maintainer'];
const agentAnswers: Agents[] = ['off', 'chat', 'run'];

type Props = { draft: Draft; change: (draft: Draft) => void; areas: string[] };

/** The four answers of an access. Choosing a role fills them in; changing an answer shows which role it makes. */
export function AccessEditor({ draft, change, areas }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const { access } = draft;
  const role = tier(access);
  const refused = refusal(access);
  const set = (part: Partial<Access>) => change({ ...draft, access: { ...access, ...part } });
  return (
    <Stack>
      <NativeSelect
        label={t('role.label')}
        description={t(`tier.${role}`)}
        value={role}
        onChange={(event) => change({ ...draft, access: preset(event.currentTarget.value as Tier, access) })}
        data={tiers.map((value) => ({ value, label: roleText(t, value) }))}
      />
      {!access.manage && (
        <>
          <Radio.Group label={t('access.agents')} value={access.agents} onChange={(value) => set({ agents: value as Agents })}>
            <Group mt="xs">
              {agentAnswers.map((answer) => (
                <Radio key={answer} value={answer} label={t(`access.agentsIs.${answer}`)} />
              ))}
            </Group>
          </Radio.Group>
          <Fence
            label={t('access.sees')}
            options={[['all', t('access.seeIs.all')]]}
            fenced={t('access.onlyThese')}
            value={access.see ?? 'all'}
            areas={areas}
            change={(value) => set({ see: Array.isArray(value) ? value : null })}
          />
          {access.agents !== 'chat' && (
            <Fence
              label={t('access.edits')}
              options={[
                ['none', t('access.editIs.none')],
                ['all', t('access.editIs.all')],
              ]}
              fenced={t('access.onlyThese')}
              value={access.edit}
              areas={access.see ?? areas}
              change={(edit) => set({ edit })}
            />
          )}
        </>
      )}
      <Switch
        label={t('access.emailSignIn')}
        description={t('access.emailSignInAbout')}
        checked={draft.emailSignIn}
        onChange={(event) => change({ ...draft, emailSignIn: event.currentTarget.checked })}
      />
      <Text role="status" fw={500}>
        {t('access.result', { role: roleText(t, role) })}
      </Text>
      {refused && (
        <Alert color="red" role="alert">
          {t(`access.refused.${refused.reason}`, { areas: format.list(refused.areas ?? []) })}
        </Alert>
      )}
    </Stack>
  );
}

type Reach = 'all' | 'none';
type FenceProps = {
  label: string;
  options: [Reach, string][];
  fenced: string;
  value: Reach | string[];
  areas: string[];
  change: (value: Reach | string[]) => void;
};

/** All, nothing, or a choice of areas. Areas that are named but gone stay visible so that they can be taken out. */
function Fence({ label, options, fenced, value, areas, change }: FenceProps) {
  const { t } = useTranslation();
  const chosen = Array.isArray(value) ? value : [];
  const shown = [...areas, ...chosen.filter((area) => !areas.includes(area))];
  return (
    <Stack gap="xs">
      <Radio.Group
        label={label}
        value={Array.isArray(value) ? 'areas' : value}
        onChange={(next) => change(next === 'areas' ? [] : (next as Reach))}
      >
        <Group mt="xs">
          {options.map(([option, text]) => (
            <Radio key={option} value={option} label={text} />
          ))}
          <Radio value="areas" label={fenced} />
        </Group>
      </Radio.Group>
      {Array.isArray(value) && (
        <Checkbox.Group value={chosen} onChange={change} aria-label={t('access.areasOf', { what: label })}>
          <Group>
            {shown.map((area) => (
              <Checkbox key={area} value={area} label={area} />
            ))}
            {shown.length === 0 && <Text size="sm">{t('access.noAreas')}</Text>}
          </Group>
        </Checkbox.Group>
      )}
    </Stack>
  );
}
