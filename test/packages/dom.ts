import { Window } from 'happy-dom';
import { afterAll } from 'vitest';

/**
 * A page for React to render into. Only what React looks for is made global: the requests are those of Node, as they
 * are in the tests of the API.
 */
const page = new Window({ url: 'http://localhost/' });
Object.assign(globalThis, {
  window: page,
  document: page.document,
  location: page.location,
  localStorage: page.localStorage,
  HTMLElement: page.HTMLElement,
  HTMLIFrameElement: page.HTMLIFrameElement,
  IS_REACT_ACT_ENVIRONMENT: true,
});
afterAll(() => page.happyDOM.close());
