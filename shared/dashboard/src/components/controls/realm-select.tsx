import { useOverview } from "../../api/status/overview.ts";

type RealmSelectProps = {
  realm: string;
  onChange: (realm: string) => void;
  /** Text of the entry without a realm; without one there is no such entry. */
  none?: string;
};

/** Choice of a realm on an aggregator; nothing on an agent. */
export function RealmSelect({ realm, onChange, none }: RealmSelectProps) {
  const { data } = useOverview();
  if ((data?.realms.length ?? 0) === 0) return null;
  return (
    <select aria-label="Realm" value={realm} onChange={(event) => onChange(event.target.value)}>
      {none !== undefined && <option value="">{none}</option>}
      {data?.realms.map(({ name }) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}
