import { actions } from '../i18n/texts';

/** The id under which the suggestions are found. */
export const actionNames = 'action-names';

const prefixes = [...new Set(actions.map((name) => `${name.slice(0, name.lastIndexOf('.'))}.*`))];

/** Suggests the names of actions, and their prefixes, to every field that asks for one. */
export function ActionNames() {
  return (
    <datalist id={actionNames}>
      {['*', ...prefixes, ...actions].map((name) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  );
}
