import { execSync } from 'node:child_process';
import { existsSync } from 'node:fs';

// Runs after every install in a checkout, by whatever Node there is, so that `npm start` has the page. Without the
// development dependencies there is nothing to build with. (The package brings the page built, and runs nothing.)
if (existsSync('../node_modules/vite')) execSync('npm run -s build', { stdio: 'inherit' });
