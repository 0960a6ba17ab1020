import { TokenForm } from "../dialogs/token-form.tsx";
import { useServices } from "../services/services.tsx";
import { useStored } from "../services/value-store.ts";

/** Instead of every page, where the server tells nothing to strangers. The address stays: a deep link survives. */
export function SignIn() {
  const { token } = useServices();
  const refused = useStored(token) !== "";
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
