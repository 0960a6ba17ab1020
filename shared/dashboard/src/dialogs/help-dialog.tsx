import { shortcutList } from "../keyboard/shortcut-list.ts";
import { usePreference, useServices } from "../services/services.tsx";
import { DialogFrame } from "./dialog-frame.tsx";
import { CheckField } from "./fields.tsx";

export function HelpDialog() {
  const { preferences } = useServices();
  const enabled = usePreference("shortcuts");
  return (
    <DialogFrame title="Keyboard">
      <div className="dialog-form">
        <dl className="shortcut-list">
          {shortcutList.map(({ keys, does }) => (
            <div key={keys}>
              <dt>
                {keys
                  .split(" ")
                  .filter(Boolean)
                  .map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
        <CheckField
          label="Single-key shortcuts"
          hint="Switch them off where they get in the way, for example of speech input."
          checked={enabled}
          onChange={(shortcuts) => preferences.set((before) => ({ ...before, shortcuts }))}
        />
      </div>
    </DialogFrame>
  );
}
