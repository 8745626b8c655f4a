package proto

// Program is the environment variable by which a ship on this machine names the ocaptain program that it sees, as DIGEST:PATH. If the
// ship needs that program, it uses the file, and the hub does not send it.
const Program = "OCAPTAIN_PROGRAM"

// Nests is the environment variable by which the hub tells a ship that a command makes sandboxes itself. If a ship's programs may
// not make sandboxes, its value is the path of the filter of system calls that prevents it: the command has to apply that filter
// inside its sandboxes.
const Nests = "OCAPTAIN_NESTS"
