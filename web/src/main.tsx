import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/dialogs.css';
import './styles/tables.css';
import './styles/large-tables.css';
import './styles/shell.css';
import './styles/chain.css';
import './styles/pages.css';
import './styles/forms.css';
import './styles/triage.css';
import './styles/shortcuts.css';
import './styles/print.css';
import { Boot } from './Boot.tsx';
import { followOtherTabs } from './state/other-tabs.ts';
import { followTheme } from './state/theme.ts';
import { followUntold } from './state/untold.ts';
import { followZone } from './state/zone.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
followTheme();
followZone();
followOtherTabs();
followUntold();
createRoot(root).render(
  <StrictMode>
    <Boot />
  </StrictMode>,
);
