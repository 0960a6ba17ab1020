import { useId } from "react";
import "./range-choice.css";

type RangeChoiceProps<T extends string> = {
  label: string;
  choices: readonly T[];
  value: T | undefined;
  onChange: (value: T) => void;
};

/** Row of time ranges such as `24h`, of which one is chosen. */
export function RangeChoice<T extends string>({ label, choices, value, onChange }: RangeChoiceProps<T>) {
  const name = useId();
  return (
    <fieldset className="range-choice">
      <legend className="visually-hidden">{label}</legend>
      {choices.map((choice) => (
        <label key={choice}>
          <input type="radio" name={name} checked={choice === value} onChange={() => onChange(choice)} />
          <span>{choice.replace(/(?<=\d)(?=[a-z])/, " ")}</span>
        </label>
      ))}
    </fieldset>
  );
}
