import { testHostilePeers } from "./run-hostile-peers.ts";

testHostilePeers(3);
