package voyage

import "ocaptain/fleet/clean"

// maxText bounds a text of a ship in a log.
const maxText = clean.MaxText
