// The public headers, for compilers before Swift 6.3, which need a header for `@implementation`.
#include <jacquard.h>
#include <jacquard/firmware.h>
#include <jacquard/motion.h>
#include <jacquard/protocol.h>
#include <jacquard/service.h>
#include <jacquard/touch.h>
