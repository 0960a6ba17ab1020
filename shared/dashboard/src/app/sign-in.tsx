import { useAppContext } from "../api/context/app-context.tsx";
import { useStoreValue } from "../api/context/value-store.ts";
import { TokenForm } from "../features/dialogs/token-form.tsx";

/** Instead of every page, where the server tells nothing to strangers. The address stays: a deep link survives. */
export function SignIn() {
  const { token } = useAppContext();
  const refused = useStoreValue(token) !== "";
  return (
    <main className="sign-in">
      <h1>Realmwatch</h1>
      <p>This server wants to know who you are before it shows anything.</p>
      {refused && (
        <p className="failure" role="alert">
          <strong>The token was not accepted.</strong> <code>unauthenticated</code>
        </p>
      )}
      <TokenForm />
    </main>
  );
}
