package wire

const (
	// Protocol is the version spoken here, ProtocolMin the oldest one still
	// understood. hello carries both ends' ranges; no overlap is bad_version.
	Protocol    = 1
	ProtocolMin = 1

	// HostName is the native-messaging host's registered name.
	HostName = "com.handrail.host"
	// ExtensionKey is the manifest's public key (DER, base64), which fixes
	// ExtensionID: the first 32 hex digits of the DER's sha256, mapped 0-f → a-p.
	ExtensionKey = "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAsXpBMEymyskbeIkKDjpO5pdOgrJsX0Y3GhrgBeLydA8DyOtzQmv/B+Cue2pRjv6gZJ+0RhaHKA0ZCW7ycy/0ZEMfFkJa4K+0m0SPyc+qaPfGVPtTD5xHz+q4V3Ky7Y+YXy/EzjlHOADC6K72nYaZcM14IGihJUBlq53NpXBTk4VR4UIp969YfCUOf0UUU8aE9u6F2V3F4+86kz2NrG1O7Rk6BY48lFbNXQco51h1SnVY4ViPy771Y6+cvbtq+XQhur5ilxs8VJk0yUSi8ZNZrzMikD+1JticMlIlgy82HdIryUZMlRMro0LyXmmUz5d7sHLmh+GzVK87NC96OIOm6QIDAQAB"
	ExtensionID  = "jlfcncbedpleacgdeajokibkajgbmemd"

	// MaxToExtension is the largest frame Chrome accepts from a host, in bytes
	// of JSON; one more and it drops the port.
	MaxToExtension = 1 << 20
	// MaxFrame is the largest frame Chrome lets an extension post, in bytes of
	// JSON. Sockets use the same bound.
	MaxFrame = 64 << 20
	// PartToExtension and PartToHost bound a frame that carries a part, in
	// UTF-8 bytes after JSON escaping.
	PartToExtension = 1<<20 - 4096
	PartToHost      = 32 << 20
	// MaxMessage bounds the joined parts of one message, in bytes.
	MaxMessage = 512 << 20
	// MaxParts bounds the number of parts of one message.
	MaxParts = 1 << 16
	// MaxText bounds what one act types, in UTF-8 bytes.
	MaxText = 1 << 20
	// MaxDepth bounds the nesting of a message's JSON.
	MaxDepth = 512
)
