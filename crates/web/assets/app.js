// Starts the scripts of the page: each module registers its own handlers; the HTML comes from the server.
import { listen } from "./actions.js";
import { updateTimes } from "./times.js";
import { restoreUnsentTexts } from "./compose.js";
import { trackCursor } from "./cursor.js";
import { observeFiles } from "./files.js";
import "./apply.js";
import "./drag.js";
import "./filter.js";
import { openRequestedField } from "./keys.js";
import "./overview.js";
import "./threads.js";
import "./workspaces.js";
import { followEvents } from "./live.js";
import { refresh } from "./refresh.js";
import { renewOldKeys } from "./session.js";
import { showUnsentTexts } from "./unsent_texts.js";

listen();
updateTimes();
observeFiles();
trackCursor();
showUnsentTexts(restoreUnsentTexts());
openRequestedField();
renewOldKeys();
followEvents(refresh);
