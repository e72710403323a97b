#include "textflag.h"

// The virtual machine of the glove. It is never called in this process: its
// bytes are copied into the ELF image of the glove (see image.go). It uses no
// stack and no data but the script's, so it runs as the only code of a static
// program, and two of its processes may share one memory.
//
// R12 is the address of the current instruction; see the layout in script.go.
//
// It can also be called as a function of C, in memory that holds the image: what
// such a function keeps is on the stack until the script leaves.

#define LOADER 0x10000040
#define FAULT 0x10000000

TEXT ·vm(SB),NOSPLIT|NOFRAME,$0-0
	PUSHQ	BX
	PUSHQ	R12
	MOVQ	$LOADER, R12

loop:
	MOVQ	0(R12), AX
	MOVQ	8(R12), DI
	MOVQ	16(R12), SI
	CMPQ	AX, $-1
	JEQ	add
	CMPQ	AX, $-2
	JEQ	load
	CMPQ	AX, $-3
	JEQ	addto
	CMPQ	AX, $-4
	JEQ	subto
	CMPQ	AX, $-5
	JEQ	leave
	MOVQ	24(R12), DX
	MOVQ	32(R12), R10
	MOVQ	40(R12), R8
	MOVQ	48(R12), R9
	SYSCALL

store:
	MOVQ	56(R12), BX
	TESTQ	BX, BX
	JEQ	branch
	MOVQ	AX, (BX)

branch:
	MOVQ	64(R12), BX
	CMPQ	BX, $0
	JEQ	next
	CMPQ	BX, $1
	JEQ	onerror
	CMPQ	BX, $2
	JEQ	onequal
	CMPQ	BX, $3
	JEQ	onother
	JMP	jump

next:
	ADDQ	$88, R12
	JMP	loop

jump:
	MOVQ	80(R12), R12
	JMP	loop

onerror:
	CMPQ	AX, $-4096
	JLS	next
	MOVQ	$FAULT, BX
	MOVQ	R12, 0(BX)
	MOVQ	AX, 8(BX)
	JMP	jump

onequal:
	CMPQ	AX, 72(R12)
	JEQ	jump
	JMP	next

onother:
	CMPQ	AX, 72(R12)
	JNE	jump
	JMP	next

add:
	LEAQ	(DI)(SI*1), AX
	JMP	store

load:
	MOVQ	(DI), AX
	JMP	store

addto:
	ADDQ	SI, (DI)
	MOVQ	(DI), AX
	JMP	store

subto:
	SUBQ	SI, (DI)
	MOVQ	(DI), AX
	JMP	store

leave:
	POPQ	R12
	POPQ	BX
	RET

	// The mark of the end.
	BYTE	$0x0f; BYTE	$0x0b; BYTE	$0x0f; BYTE	$0x0b
	BYTE	$0x47; BYTE	$0x4c; BYTE	$0x4f; BYTE	$0x56

TEXT ·vmAddress(SB),NOSPLIT,$0-8
	LEAQ	·vm(SB), AX
	MOVQ	AX, ret+0(FP)
	RET
