// SPDX-License-Identifier: Apache-2.0
import flamegraph from "d3-flame-graph";
import "./page.css";
console.assert(flamegraph);
