import { ActionButton } from "../../components/controls/action-button.tsx";

const templates = [
  "I am working on it",
  "Known, the repair is scheduled",
  "Reported to the vendor",
  "Expected after a change",
] as const;

/** Texts for the comment of an acknowledgement, to be completed. */
export function CommentTemplates({ onChoose }: { onChoose: (text: string) => void }) {
  return (
    <fieldset className="templates">
      <legend className="visually-hidden">Templates</legend>
      {templates.map((text) => (
        <ActionButton key={text} tone="small" onClick={() => onChoose(text)}>
          {text}
        </ActionButton>
      ))}
    </fieldset>
  );
}
