import { useState } from "react";
import { useSignIn } from "../../api/server/sign-in.ts";
import { TextField } from "../controls/form-fields.tsx";
import "../controls/dialogs.css";

/** Form for the bearer token of this tab, which is sent with every call. */
export function TokenForm({ onDone }: { onDone?: () => void }) {
  const signIn = useSignIn();
  const [typed, setTyped] = useState("");
  return (
    <form
      className="dialog-form"
      onSubmit={(event) => {
        event.preventDefault();
        void signIn.withToken(typed.trim()).then(onDone);
      }}
    >
      <TextField
        label="Access token"
        hint="Stored in this browser tab only, until it is closed."
        type="password"
        value={typed}
        onChange={setTyped}
      />
      <footer className="dialog-foot">
        <button type="submit" className="button is-primary">
          Use token
        </button>
      </footer>
    </form>
  );
}
