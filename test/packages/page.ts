// oxlint-disable-next-line import/no-unassigned-import -- React looks for a page while it is loaded
import './dom.ts';
import { configure } from '@testing-library/react';

export { act, cleanup, renderHook, waitFor } from '@testing-library/react';

// The test's own time limit ends a wait, however busy the machine is.
configure({ asyncUtilTimeout: 60_000 });
