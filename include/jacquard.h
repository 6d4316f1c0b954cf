#ifndef JACQUARD_H
#define JACQUARD_H
#endif
