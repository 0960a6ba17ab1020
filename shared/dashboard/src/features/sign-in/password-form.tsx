import { type FormEvent, useRef, useState } from "react";
import { useCall } from "../../api/commands/use-call.ts";
import { serverFailureOf } from "../../api/server/server-failure.ts";
import { useSignIn } from "../../api/server/sign-in.ts";
import { TextField } from "../../components/controls/form-fields.tsx";
import "../../components/controls/dialogs.css";

/** Form that begins a session, with a user name to begin with. After a failure the name stays and the password is entered again. */
export function PasswordForm({ user }: { user: string }) {
  const [name, setName] = useState(user);
  const [password, setPassword] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const signIn = useSignIn();
  const { busy, error, run } = useCall();
  const onSubmit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (busy) return;
    if (await run(() => signIn.withPassword(name, password))) return;
    setPassword("");
    field.current?.focus();
  };
  return (
    <form className="dialog-form" onSubmit={onSubmit}>
      {error !== undefined && (
        <p className="failure" role="alert">
          {describeFailure(error)}
        </p>
      )}
      <TextField
        label="User name"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        required
        value={name}
        onChange={setName}
      />
      <TextField
        label="Password"
        ref={field}
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={setPassword}
      />
      <footer className="dialog-foot">
        <button type="submit" className="button is-primary" disabled={busy}>
          {busy ? "Signing in…" : "Sign in"}
        </button>
      </footer>
    </form>
  );
}

/** A wrong name and a wrong password are not told apart, by the server neither. */
function describeFailure(error: unknown): string {
  const { code, message } = serverFailureOf(error);
  if (code === "unauthenticated") return "The user name or the password is wrong.";
  return `Signing in failed: ${message} (${code})`;
}
