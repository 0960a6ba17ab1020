import { useOverview } from "../../api/status/overview.ts";
import { NameSelect } from "./name-select.tsx";

type RealmSelectProps = {
  realm: string;
  onChange: (realm: string) => void;
  /** Text of the entry without a realm; without one there is no such entry. */
  none?: string;
};

/** Choice of a realm on an aggregator; nothing on an agent. */
export function RealmSelect({ realm, onChange, none }: RealmSelectProps) {
  const { data } = useOverview();
  const names = data?.realms.map(({ name }) => name) ?? [];
  return names.length === 0 ? null : (
    <NameSelect label="Realm" none={none} names={names} value={realm} onChange={onChange} />
  );
}
