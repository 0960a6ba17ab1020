type NameSelectProps = {
  /** Name for screen readers; a select in a field has the field's id instead. */
  label?: string;
  id?: string;
  /** Text of the entry without a name; without one there is no such entry. */
  none?: string | undefined;
  names: readonly string[];
  value: string;
  onChange: (value: string) => void;
};

/** Choice of one name, or of none. A chosen name stays a choice when it is not among the names. */
export function NameSelect({ label, id, none, names, value, onChange }: NameSelectProps) {
  return (
    <select id={id} aria-label={label} value={value} onChange={(event) => onChange(event.target.value)}>
      {none !== undefined && <option value="">{none}</option>}
      {(value === "" || names.includes(value) ? names : [value, ...names]).map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}
