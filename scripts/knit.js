#!/usr/bin/env node
/** `knit`, the node. */
import { launch } from "./launch.js";

await launch("knit", "node");
