/* The headers of libjacquard that the Swift package uses. */
#include <jacquard.h>
#include <jacquard/firmware.h>
#include <jacquard/motion.h>
#include <jacquard/protocol.h>
#include <jacquard/touch.h>
