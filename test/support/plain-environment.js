import vm from "node:vm";
import { TestEnvironment } from "jest-environment-node";

/**
 * Jest's environment for Node.js with an ordinary global object. Jest's own is a proxy behind an interceptor of the
 * vm, through which every mention of `Uint8Array` or `Number` goes: code that computes takes up to three times
 * as long there.
 */
export default class PlainEnvironment extends TestEnvironment {
  constructor(config, context) {
    const { createContext } = vm;
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(config, context);
    } finally {
      vm.createContext = createContext;
    }
  }
}
