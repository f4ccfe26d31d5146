public void ecall_one();
public void ecall_two([in] char name[MORE_ROOM]);
