import { useAppContext, usePreference } from "../../api/context/app-context.tsx";
import { DialogFrame } from "../../components/controls/dialog-frame.tsx";
import { CheckField } from "../../components/controls/form-fields.tsx";
import { type Shortcut, shortcutGroups } from "../../components/keyboard/shortcut-list.ts";

export type HelpDialogProps = {
  /** Pages of the navigation with the keys that lead to them. */
  pages: readonly { readonly label: string; readonly keys?: string }[];
};

/** Keyboard shortcuts, and settings of this browser. */
export function HelpDialog({ pages }: HelpDialogProps) {
  const toPages = pages.flatMap(({ keys, label }) => (keys === undefined ? [] : [{ keys, action: label }]));
  return (
    <DialogFrame title="Keyboard shortcuts" focusField={false}>
      <div className="dialog-form">
        <p>
          <a href="/docs/" target="_blank" rel="noreferrer">
            Documentation
          </a>{" "}
          of this version, with a search
        </p>
        {[...shortcutGroups, { title: "Go to a page", shortcuts: toPages }].map(({ title, shortcuts }) => (
          <section key={title} className="shortcut-group">
            <h2>{title}</h2>
            <ShortcutList shortcuts={shortcuts} />
          </section>
        ))}
        <Settings />
      </div>
    </DialogFrame>
  );
}

function ShortcutList({ shortcuts }: { shortcuts: readonly Shortcut[] }) {
  return (
    <dl className="shortcut-list">
      {shortcuts.map(({ keys, action }) => (
        <div key={`${keys} ${action}`}>
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
  );
}

function Settings() {
  const { preferences } = useAppContext();
  const shortcuts = usePreference("shortcuts");
  const browserNotifications = usePreference("browserNotifications");
  const sound = usePreference("sound");
  const change = (part: Partial<ReturnType<typeof preferences.get>>): void =>
    preferences.set((before) => ({ ...before, ...part }));
  const changeNotifications = async (on: boolean): Promise<void> =>
    change({ browserNotifications: on && (await Notification.requestPermission()) === "granted" });
  return (
    <section className="shortcut-group">
      <h2>Settings of this browser</h2>
      <CheckField
        label="Single-key shortcuts"
        hint="Disable them if they interfere with other input, for example speech input."
        checked={shortcuts}
        onChange={(on) => change({ shortcuts: on })}
      />
      {"Notification" in window && (
        <CheckField
          label="Browser notification"
          hint="For each new critical problem, while a page of the dashboard is open. The browser asks for permission."
          checked={browserNotifications}
          onChange={(on) => void changeNotifications(on)}
        />
      )}
      <CheckField
        label="Sound"
        hint="For each new critical problem, after a first press on the page."
        checked={sound}
        onChange={(on) => change({ sound: on })}
      />
    </section>
  );
}
