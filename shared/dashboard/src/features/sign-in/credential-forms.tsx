import { useAppContext } from "../../api/context/app-context.tsx";
import { useStoreValue } from "../../api/context/value-store.ts";
import { useServerInfo } from "../../api/server/server-info.ts";
import { TokenForm } from "../../components/sign-in/token-form.tsx";
import { PasswordForm } from "./password-form.tsx";

/** Forms for a password, with a user name to begin with, and, as the second way, for a token. */
export function CredentialForms({ user = "" }: { user?: string }) {
  const { token } = useAppContext();
  const { locked } = useServerInfo();
  const isRefused = useStoreValue(token) !== "" && locked;
  return (
    <>
      <PasswordForm user={user} />
      <details className="sign-in-token" open={isRefused}>
        <summary>Sign in with a token</summary>
        {isRefused && (
          <p className="failure" role="alert">
            The server does not accept the token.
          </p>
        )}
        <TokenForm />
      </details>
    </>
  );
}
