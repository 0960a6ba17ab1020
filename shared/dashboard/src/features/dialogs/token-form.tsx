import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useAppContext } from "../../api/context/app-context.tsx";
import { FormField } from "../../components/controls/form-fields.tsx";

/** Form for the bearer token of this tab, which is sent with every call. */
export function TokenForm({ onDone }: { onDone?: () => void }) {
  const { token } = useAppContext();
  const queryClient = useQueryClient();
  const [typed, setTyped] = useState("");
  return (
    <form
      className="dialog-form"
      onSubmit={(event) => {
        event.preventDefault();
        token.set(typed.trim());
        void queryClient.resetQueries();
        onDone?.();
      }}
    >
      <FormField label="Access token" hint="Stored in this browser tab only, until it is closed.">
        {(id) => (
          <input
            id={id}
            type="password"
            autoComplete="off"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        )}
      </FormField>
      <footer className="dialog-foot">
        <button type="submit" className="button is-primary">
          Use token
        </button>
      </footer>
    </form>
  );
}
