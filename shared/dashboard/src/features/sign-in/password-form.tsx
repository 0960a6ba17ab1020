import { type FormEvent, useRef, useState } from "react";
import { serverFailureOf } from "../../api/server/server-failure.ts";
import { useSignIn } from "../../api/server/sign-in.ts";
import { TextField } from "../../components/controls/form-fields.tsx";
import "../../components/controls/dialogs.css";

type PasswordFormProps = {
  /** Name to begin with; empty for none. */
  user?: string;
  onDone: () => void;
};

/** Form that begins a session. After a failure the name stays and the password is entered again. */
export function PasswordForm({ user = "", onDone }: PasswordFormProps) {
  const [name, setName] = useState(user);
  const [password, setPassword] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const { begin, busy, failure } = useSession(onDone);
  const onSubmit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (busy || (await begin(name, password))) return;
    setPassword("");
    field.current?.focus();
  };
  return (
    <form className="dialog-form" onSubmit={onSubmit}>
      {failure !== undefined && (
        <p className="failure" role="alert">
          {failure}
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

/** Beginning of a session, which returns false after a failure. */
function useSession(onDone: () => void) {
  const signIn = useSignIn();
  const [failure, setFailure] = useState<string>();
  const [busy, setBusy] = useState(false);
  const begin = async (name: string, password: string): Promise<boolean> => {
    setBusy(true);
    setFailure(undefined);
    try {
      await signIn.withPassword(name, password);
      onDone();
      return true;
    } catch (error) {
      setFailure(describeFailure(error));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { begin, busy, failure };
}

/** A wrong name and a wrong password are not told apart, by the server neither. */
function describeFailure(error: unknown): string {
  const { code, message } = serverFailureOf(error);
  if (code === "unauthenticated") return "The user name or the password is wrong.";
  return `Signing in failed: ${message} (${code})`;
}
