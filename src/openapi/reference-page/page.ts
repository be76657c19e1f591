/**
 * The page of the reader: `/_docs`. It loads its two scripts from the same server, and nothing from elsewhere. Its URLs are
 * relative: an application may have mounted the API under any path.
 */
export function readerPage(
  title: string,
  versions: readonly string[],
  takesCredentials: boolean,
): string {
  const options = versions.map((version) => `<option>${version}</option>`).join('');
  const credential = takesCredentials
    ? '<label>Token or API key <input name="credential" type="password" autocomplete="off"></label><button>Use</button>'
    : '';
  const isChoice = versions.length > 1 || takesCredentials;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
<style>body{margin:0}#choice{display:flex;gap:1rem;padding:.5rem 1rem;font:14px system-ui,sans-serif}#choice[hidden]{display:none}#problem{padding:1rem;font:14px system-ui,sans-serif}</style>
</head>
<body>
<form id="choice"${isChoice ? '' : ' hidden'}><label>Version <select name="version">${options}</select></label>${credential}</form>
<p id="problem" role="alert" hidden></p>
<main id="app"></main>
<script src="_docs/reader.js"></script>
<script src="_docs/start.js"></script>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/**
 * What may run and be asked on the page: the scripts of this server, requests to it and to where the API is said to
 * be. The reader writes its styles into the page, and shows pictures that it carries itself.
 */
export function readerPolicy(apiOrigin: string | undefined): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'unsafe-inline'",
    'img-src data:',
    'font-src data:',
    `connect-src 'self'${apiOrigin === undefined ? '' : ` ${apiOrigin}`}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Fetches the document that this caller gets and hands it to the reader. */
export const readerStart = `'use strict';
const form = document.getElementById('choice');
const problem = document.getElementById('problem');
let shown;
async function show() {
  const version = form.elements.version.value;
  const credential = form.elements.credential ? form.elements.credential.value.trim() : '';
  const headers = credential === '' ? {} : { authorization: 'Bearer ' + credential };
  problem.hidden = true;
  try {
    const response = await fetch(version + '/_openapi.json', { headers });
    const content = await response.json();
    if (!response.ok) throw new Error(content.message);
    if (shown) shown.destroy();
    const app = document.createElement('main');
    app.id = 'app';
    document.getElementById('app').replaceWith(app);
    shown = Scalar.createApiReference('#app', {
      content,
      proxyUrl: '',
      telemetry: false,
      withDefaultFonts: false,
      hideClientButton: true,
      showDeveloperTools: 'never',
      showToolbar: 'never',
      persistAuth: false,
      agent: { disabled: true },
      mcp: { disabled: true },
      // Without auth there is nothing to fill in.
      ...(form.elements.credential && {
        authentication: {
          preferredSecurityScheme: 'bearer',
          securitySchemes: { bearer: { token: credential }, apiKey: { value: credential } },
        },
      }),
    });
  } catch (error) {
    problem.textContent = 'The document could not be loaded: ' + error.message;
    problem.hidden = false;
  }
}
form.addEventListener('submit', (event) => { event.preventDefault(); void show(); });
form.elements.version.addEventListener('change', () => void show());
void show();
`;
