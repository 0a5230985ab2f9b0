package wire

// Version is this release, as hello and handrail version tell it; the
// extension's manifest has the same.
const Version = "0.1.0"
