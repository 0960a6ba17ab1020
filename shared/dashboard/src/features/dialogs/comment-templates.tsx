import { dialogTexts } from "../../texts/dialog-texts.ts";

const templates = [
  dialogTexts.iAmWorkingOnIt,
  dialogTexts.knownTheRepairIsScheduled,
  dialogTexts.reportedToTheVendor,
  dialogTexts.expectedAfterAChange,
] as const;

/** Texts for the comment of an acknowledgement, to be completed. */
export function CommentTemplates({ onChoose }: { onChoose: (text: string) => void }) {
  return (
    <fieldset className="templates">
      <legend className="visually-hidden">{dialogTexts.templates}</legend>
      {templates.map((text) => (
        <button key={text} type="button" className="button is-small" onClick={() => onChoose(text)}>
          {text}
        </button>
      ))}
    </fieldset>
  );
}
