import { useAppContext, usePreference } from "../../api/context/app-context.tsx";
import { DialogFrame } from "../../components/controls/dialog-frame.tsx";
import { CheckField } from "../../components/controls/form-fields.tsx";
import { shortcutList } from "../../components/keyboard/shortcut-list.ts";

export function HelpDialog() {
  const { preferences } = useAppContext();
  const enabled = usePreference("shortcuts");
  return (
    <DialogFrame title="Keyboard shortcuts">
      <div className="dialog-form">
        <dl className="shortcut-list">
          {shortcutList.map(({ keys, action }) => (
            <div key={keys}>
              <dt>
                {keys
                  .split(" ")
                  .filter(Boolean)
                  .map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
              </dt>
              <dd>{action}</dd>
            </div>
          ))}
        </dl>
        <CheckField
          label="Single-key shortcuts"
          hint="Disable them if they interfere with other input, for example speech input."
          checked={enabled}
          onChange={(shortcuts) => preferences.set((before) => ({ ...before, shortcuts }))}
        />
      </div>
    </DialogFrame>
  );
}
