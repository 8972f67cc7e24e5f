#!/usr/bin/env node
/** `knit-operator`: the operator, and the gateway beside each node. */
import { launch } from "./launch.js";

await launch("knit-operator", "operator");
