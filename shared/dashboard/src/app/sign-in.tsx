import { useAppContext } from "../api/context/app-context.tsx";
import { useStoreValue } from "../api/context/value-store.ts";
import { TokenForm } from "../features/dialogs/token-form.tsx";

/** Replaces every page when the server requires authentication. The address is kept, so deep links survive. */
export function SignIn() {
  const { token } = useAppContext();
  const refused = useStoreValue(token) !== "";
  return (
    <main className="sign-in">
      <h1>Realmwatch</h1>
      <p>This server requires authentication.</p>
      {refused && (
        <p className="failure" role="alert">
          <strong>The token was not accepted.</strong> <code>unauthenticated</code>
        </p>
      )}
      <TokenForm />
    </main>
  );
}
