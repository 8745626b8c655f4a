package voyage

// maxText bounds a text of a ship in a log.
const maxText = 8 << 10
